/** Both alphabets, with optional line breaks. One pass without backtracking, for texts of up to 20 MB. */
const FOREIGN = /[^A-Za-z0-9+/_=\s-]/

/** Why a base64 text is invalid, as a sentence without its full stop; undefined if it is valid. */
export function base64Flaw(text: string): string | undefined {
  if (FOREIGN.test(text)) return 'The data is not base64'
  const plain = /\s/.test(text) ? text.replace(/\s+/g, '') : text
  const end = plain.indexOf('=')
  const length = end === -1 ? plain.length : end
  const padding = plain.length - length
  if (length === 0) return 'The data is empty'
  if (end !== -1 && (padding > 2 || /[^=]/.test(plain.slice(end))))
    return 'The data is not base64: it continues after its end'
  if (length % 4 === 1) return 'The data is truncated'
  return padding > 0 && (length + padding) % 4 !== 0 ? 'The data is truncated' : undefined
}

/** How many bytes a base64 text stands for, without decoding it. */
export function base64Size(text: string): number {
  const plain = /\s/.test(text) ? text.replace(/\s+/g, '') : text
  return Math.floor((plain.replace(/=+$/, '').length * 3) / 4)
}

/** The bytes of a base64 text in either alphabet; undefined if it is invalid. */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (base64Flaw(text) !== undefined) return undefined
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
