/** An idempotency key. Not `randomUUID`, which browsers lack on plain HTTP with any host but localhost. */
export const newRequestKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, '0')).join('-')
