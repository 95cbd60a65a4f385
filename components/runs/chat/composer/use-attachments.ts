'use client'
import { useRef, useState } from 'react'
import { newRequestKey } from '@/lib/format/format'
import type { Attachment } from './attachments'

/** The files of the message that is being written. */
export function useAttachments() {
  const [files, setFiles] = useState<readonly Attachment[]>([])
  const [problem, setProblem] = useState<string>()
  // Two pastes in a row must not both see the list before them.
  const now = useRef(files)
  const put = (next: readonly Attachment[]) => {
    now.current = next
    setFiles(next)
  }
  async function add(given: readonly File[]): Promise<void> {
    if (given.length === 0) return
    try {
      const { readAttachment, whyNotAdd } = await import('./attachments')
      const refused = whyNotAdd(now.current, given)
      if (refused) return setProblem(refused)
      const read = await Promise.all(given.map((file) => readAttachment(file, newRequestKey())))
      const late = whyNotAdd(now.current, given)
      setProblem(late)
      if (!late) put([...now.current, ...read])
    } catch {
      setProblem('A file could not be read. It may have been moved or changed.')
    }
  }
  const remove = (id: string) => {
    setProblem(undefined)
    put(now.current.filter((file) => file.id !== id))
  }
  const clear = () => {
    setProblem(undefined)
    put([])
  }
  /** Puts the files of a message that was not sent before those that were added since. */
  const restore = (earlier: readonly Attachment[]) => put([...earlier, ...now.current])
  return { files, problem, add, remove, clear, restore }
}
