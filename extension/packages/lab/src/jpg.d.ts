/** The address of a picture that the build puts into the program. */
declare module "*.jpg" {
  const address: string;
  export default address;
}
