/** One of several assistants that answer the same messages, each on a thread of its own. */
export type SideColumn = { key: string; assistant: string; thread: string | undefined }

export const MOST_COLUMNS = 4

/** Columns from the URL: assistants with commas between, each with its thread after a colon. */
export function readColumns(text: string): SideColumn[] {
  return text
    .split(',')
    .filter(Boolean)
    .slice(0, MOST_COLUMNS)
    .map((one, at) => {
      const [assistant = '', thread = ''] = one.split(':').map(decode)
      return { key: String(at), assistant, thread: thread || undefined }
    })
}

export const writeColumns = (columns: readonly SideColumn[]): string =>
  columns
    .map(({ assistant, thread }) => [assistant, ...(thread ? [thread] : [])].map(encodeURIComponent).join(':'))
    .join(',')

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
