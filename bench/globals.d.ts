/** Values that benches keep in a page between two evaluations. */
interface Window {
  // biome-ignore lint/suspicious/noExplicitAny: each bench stores its own shapes under these names
  [measured: string]: any
}
