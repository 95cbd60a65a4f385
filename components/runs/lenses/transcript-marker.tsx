import { CircleHelp, RotateCw, TriangleAlert, XCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { AskedOnly } from '@/components/runs/answer/asked'
import { useMoment } from '@/components/runs/view/moment'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { duration } from '@/lib/format/format'
import type { Marker } from './transcript-rows'

/** A notice between messages: missing output, a retry, a failure or a question. */
export function TranscriptMarker({ marker }: { marker: Marker }) {
  switch (marker.kind) {
    case 'gap':
      return marker.entry.kind === 'joined' ? (
        <Line icon={<TriangleAlert />} tone="warn" title="The recording started after the run">
          {marker.isSilent ? (
            <Silent hasState={marker.entry.state !== undefined} />
          ) : (
            `Earlier output is missing.${marker.entry.state ? ' The thread’s state at that time is shown instead.' : ''}`
          )}
        </Line>
      ) : (
        <Line
          icon={<TriangleAlert />}
          tone="warn"
          title={`Output may be missing for ${duration(marker.entry.at - marker.entry.since)}`}
        >
          <VisibleText>{marker.entry.reason}</VisibleText>
          {marker.entry.state ? ' The thread’s state was read after reconnecting.' : ''}
        </Line>
      )
    case 'attempt':
      return (
        <Line icon={<RotateCw />} tone="warn" title={`Attempt ${marker.attempt}`}>
          The server restarted the run. Output may repeat.
        </Line>
      )
    case 'error':
      return (
        <Line icon={<XCircle />} tone="error" title={marker.name || 'The graph failed'}>
          <LongText text={marker.message} limit={2_000} />
        </Line>
      )
    case 'interrupt':
      return (
        <Line icon={<CircleHelp />} tone="accent" title="Question">
          <AskedOnly value={marker.value} />
        </Line>
      )
    case 'ended':
      return (
        <Line icon={<TriangleAlert />} tone="warn" title="Run ended">
          <VisibleText>{marker.reason}</VisibleText>
        </Line>
      )
  }
}

/** Many graphs have no messages, so that nothing follows. */
function Silent({ hasState }: { hasState: boolean }) {
  const { open } = useMoment()
  const [lens, text] = hasState
    ? (['state', 'Earlier output is missing, and no messages are known. The state has the values so far.'] as const)
    : (['steps', 'Earlier output is missing, and no messages have arrived since.'] as const)
  return (
    <>
      <p>{text}</p>
      <Button size="sm" className="mt-2" onClick={() => open(lens)}>
        Show {lens}
      </Button>
    </>
  )
}

const TONES = {
  warn: 'border-warn/30 bg-warn-soft [&_svg]:text-warn',
  error: 'border-error/30 bg-error-soft [&_svg]:text-error',
  accent: 'border-accent/30 bg-accent-soft [&_svg]:text-accent',
}

const Line = ({
  icon,
  tone,
  title,
  children,
}: {
  icon: ReactNode
  tone: keyof typeof TONES
  title: string
  children: ReactNode
}) => (
  <div
    className={cn(
      'flex gap-2.5 rounded-lg border px-3 py-2 text-sm [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0',
      TONES[tone],
    )}
  >
    {icon}
    <div className="min-w-0 flex-1">
      <p className="font-medium">
        <VisibleText>{title}</VisibleText>
      </p>
      <div className="break-words text-ink-2">{children}</div>
    </div>
  </div>
)
