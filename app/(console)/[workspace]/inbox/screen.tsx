'use client'
import dynamic from 'next/dynamic'
import type { JointComponent } from '@/components/inbox/answer-together'
import { InboxPage } from '@/components/inbox/inbox-page'
import type { AnswersProps } from '@/components/inbox/waiting-panel'
import { Skeleton } from '@/components/ui/loading'

const ThreadAnswers = dynamic(
  () => import('@/components/runs/answer/thread-answers').then((module) => module.ThreadAnswers),
  { ssr: false, loading: () => <Skeleton className="h-24 w-full" /> },
)
// The inbox uses the run page's answer form. Features cannot import each other, so they are joined here.
const Answers = (props: AnswersProps) => <ThreadAnswers {...props} />

const JointAnswer = dynamic(
  () => import('@/components/runs/answer/joint-answer').then((module) => module.JointAnswer),
  {
    ssr: false,
    loading: () => <Skeleton className="h-40 w-full" />,
  },
)
const Joint: JointComponent = (props) => <JointAnswer {...props} />

export const Screen = ({ workspace }: { workspace: string }) => (
  <InboxPage workspace={workspace} Answers={Answers} Joint={Joint} />
)
