'use client'
import dynamic from 'next/dynamic'
import { type ComponentProps, useContext } from 'react'
import type { AnswersProps } from '@/components/inbox/waiting-panel'
import { OnContinued } from '@/components/runs/answer/on-continued'
import { ChatScreen } from '@/components/runs/chat/chat-screen'
import { ThreadStatus } from '@/components/threads/thread-status'
import { ThreadVerbs } from '@/components/threads/thread-verbs'
import { Skeleton } from '@/components/ui/loading'
import type { ThreadPlace } from '@/lib/contracts/wire/places'

// Features cannot import each other, so a conversation and the views of its thread are joined here.
const loading = () => <Skeleton className="m-4 h-40" />
const State = dynamic(() => import('@/components/threads/current-state').then((module) => module.CurrentState), {
  ssr: false,
  loading,
})
const History = dynamic(() => import('@/components/threads/thread-history').then((module) => module.ThreadHistory), {
  ssr: false,
  loading,
})
const Context = dynamic(
  () => import('@/components/assistants/form/arguments-form').then((module) => module.ArgumentsForm),
  { ssr: false, loading },
)
const Side = dynamic(() => import('@/components/runs/chat/side/side-by-side').then((module) => module.SideBySide), {
  ssr: false,
})
const WaitingInChat = dynamic(
  () => import('@/components/inbox/waiting-in-chat').then((module) => module.WaitingInChat),
  {
    ssr: false,
  },
)
const Answers = dynamic(
  () => import('@/components/runs/answer/thread-answers').then((module) => module.ThreadAnswers),
  { ssr: false },
)
const ThreadAnswers = (props: AnswersProps) => <Answers {...props} />
const Waiting = (place: ThreadPlace) => (
  <WaitingInChat place={place} Answers={ThreadAnswers} onAnswered={useContext(OnContinued)} />
)
const views = { Waiting, Status: ThreadStatus, Verbs: ThreadVerbs, State, History, Context, Side }

export const Screen = (props: Omit<ComponentProps<typeof ChatScreen>, 'views'>) => (
  <ChatScreen {...props} views={views} />
)
