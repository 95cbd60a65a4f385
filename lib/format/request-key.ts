/**
 * Tells one request from another: sent again with the same key it is the same request. Not `randomUUID`: a console reached over
 * plain HTTP by another name than localhost has none.
 */
export const newRequestKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, '0')).join('-')
