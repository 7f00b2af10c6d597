/** What D3 would blend colours by, if it were given any; for D3, what this does not know is a text with numbers. */
function none(): null {
  return null;
}

export { none as color, none as cubehelix, none as hcl, none as hsl, none as lab, none as rgb };
