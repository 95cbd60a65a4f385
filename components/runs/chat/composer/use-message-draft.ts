'use client'
import { useState } from 'react'
import { useKeptDraft } from '@/components/shared/form/use-kept-draft'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { joinText } from './join-text'

/** The message that is being written on a thread, kept in this tab. A new conversation's goes with it to its thread. */
export function useMessageDraft({ workspace, deploymentId }: DeploymentPlace, thread: string | undefined) {
  const [text, setText] = useState('')
  useKeptDraft(
    ['pilothouse.chat', workspace, deploymentId, thread ?? ''].join('.'),
    text,
    (kept: string) => setText((typed) => joinText(kept, typed)), // typed before hydration
  )
  return { text, setText }
}
