'use client'
import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { PageHeader } from '@/components/shared/layout/page-header'
import { useReasons } from '@/components/shared/layout/rights'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Button } from '@/components/ui/button'
import { Tabs } from '@/components/ui/tabs'
import { ALERT_EVERY_MS, type AlertsView } from '@/lib/contracts/alerts/alerts'
import { alertsQuery } from '@/lib/queries/alerts'
import { BrowserAlerts } from './browser-alerts'
import { ChannelsTab } from './channels-tab'
import { HistoryTab } from './history-tab'
import { NowTab } from './now-tab'
import { RulesTab } from './rules-tab'

const SilenceDialog = dynamic(() => import('./silence-dialog').then((module) => module.SilenceDialog), { ssr: false })

const TABS = ['now', 'rules', 'channels', 'history'] as const
/** Rounds without an answer that are nothing to worry about. */
const LATE_MS = 8 * ALERT_EVERY_MS

/** What is wrong now, what is watched, where it is sent, and what was. */
export function AlertsPage({ workspace }: { workspace: string }) {
  const query = alertsQuery(workspace)
  const result = useQuery(query)
  const { data } = result
  const error = result.error ?? result.failureReason
  const retry = useTryAgain(query.queryKey)
  const search = useSearchParams()
  const set = useSetSearch({ isLocal: true })
  const [isSilencing, setSilencing] = useState(false)
  const runReason = useReasons().run
  const tab = TABS.find((one) => one === search.get('tab')) ?? 'now'
  const stale = staleOf({ ...result, error })
  const firing = data?.states.filter(({ phase }) => phase === 'firing').length ?? 0
  return (
    <>
      <PageHeader
        title="Alerts"
        actions={
          <>
            <BrowserAlerts workspace={workspace} events={data?.events} />
            <Button reason={runReason} disabled={!data} onClick={() => setSilencing(true)}>
              Silence
            </Button>
          </>
        }
      >
        {data ? <Evaluated data={data} at={result.dataUpdatedAt} /> : null}
      </PageHeader>
      {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
      {error && !data ? <ErrorNotice error={error.view} onRetry={retry} /> : null}
      {data || error ? null : <LateSkeleton className="h-40 w-full" />}
      {data ? (
        <Tabs
          label="Alerts"
          className={stale ? STALE_STYLE : undefined}
          value={tab}
          onValueChange={(value) => set({ tab: value === 'now' ? '' : value })}
          tabs={[
            { value: 'now', label: firing > 0 ? `Firing (${firing})` : 'Now' },
            { value: 'rules', label: `Rules (${data.rules.length})` },
            { value: 'channels', label: `Channels (${data.channels.length})` },
            { value: 'history', label: 'History' },
          ]}
        >
          {tab === 'now' ? <NowTab workspace={workspace} data={data} onRules={() => set({ tab: 'rules' })} /> : null}
          {tab === 'rules' ? <RulesTab workspace={workspace} data={data} /> : null}
          {tab === 'channels' ? <ChannelsTab workspace={workspace} data={data} /> : null}
          {tab === 'history' ? <HistoryTab workspace={workspace} data={data} /> : null}
        </Tabs>
      ) : null}
      {isSilencing && data ? (
        <SilenceDialog workspace={workspace} rules={data.rules} onClose={() => setSilencing(false)} />
      ) : null}
    </>
  )
}

/** When the rules were last evaluated: without that, an empty list would look like good news. */
function Evaluated({ data, at }: { data: AlertsView; at: number }) {
  const { evaluatedAt, rules } = data
  if (rules.length === 0) return null
  const isLate = evaluatedAt === null || at - Date.parse(evaluatedAt) > LATE_MS
  return (
    <p className={isLate ? 'mt-1 text-warn' : 'mt-1 text-ink-2'}>
      {evaluatedAt === null ? 'The rules have not been evaluated yet.' : 'Rules last evaluated '}
      {evaluatedAt === null ? null : <RelativeTime at={evaluatedAt} />}
      {isLate && evaluatedAt !== null ? '. What is listed may be out of date.' : null}
    </p>
  )
}
