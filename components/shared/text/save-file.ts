/** Has the browser save a file under a name; it is never opened here. */
export function saveFile(blob: Blob, name: string): void {
  // No type of its own: the browser must save it, whatever it is.
  const url = URL.createObjectURL(blob.slice(0, blob.size, 'application/octet-stream'))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
