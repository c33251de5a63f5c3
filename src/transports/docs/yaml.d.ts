/** What scripts/bundle.mjs makes of a file. */
declare module "*.yaml" {
  const said: unknown
  export default said
}
