import type { RunError, RunStore } from '@/components/runs/view/run-store'
import { type FileHeader, RecordingFileError, RecordingFileReader } from '@/lib/stream/recording-file'

export type OpenedFile = { header: FileHeader; isWhole: boolean }

/** Feeds a recording file to a store piece by piece. Resolves with its header; throws RecordingFileError for an invalid file. */
export async function readFile(
  stream: ReadableStream<Uint8Array>,
  store: RunStore,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const reader = new RecordingFileReader()
  const decoder = new TextDecoder('utf-8')
  const give = (entries: ReturnType<RecordingFileReader['push']>, phase: 'live' | 'ended') =>
    store.feed.entries(entries, { total: reader.entries, phase })
  const pieces = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await pieces.read()
      signal.throwIfAborted()
      if (done) break
      const entries = reader.push(decoder.decode(value, { stream: true }))
      if (entries.length > 0) give(entries, 'live')
    }
    give([...reader.push(decoder.decode()), ...reader.end()], 'ended')
    store.finish()
  } finally {
    void pieces.cancel().catch(() => {})
  }
  if (!reader.header) throw new RecordingFileError('The file is empty.')
  return { header: reader.header, isWhole: reader.isWhole }
}

export const fileProblem = (error: unknown): RunError => ({
  code: 'invalid',
  message: error instanceof RecordingFileError ? error.message : 'The browser could not read this file.',
})
