/** Downloads a file; it is never opened in the browser. */
export function saveFile(blob: Blob, name: string): void {
  // A generic type, so that the browser saves the file instead of showing it.
  const url = URL.createObjectURL(blob.slice(0, blob.size, 'application/octet-stream'))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
