/** Where a file of the machine is among those of the server, whose folder may be told from the home folder on; empty outside of it. */
export function inServer(root: string, path: string): string {
  const plain = path.replaceAll("\\", "/");
  const [home = "~"] = /^(?:[A-Z]:)?\/(?:root|(?:home|Users)\/[^/]+)(?=\/)/.exec(plain) ?? [];
  const whole = `${root.replace(/^~/, home).replace(/\/$/, "")}/`;
  return plain.startsWith(whole) ? plain.slice(whole.length) : "";
}
