'use client'
import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { nameInBrowser, withBasePath } from '@/lib/base-path'
import type { AlertEvent } from '@/lib/contracts/alerts/alerts'
import { routes } from '@/lib/routes'

const KEY = nameInBrowser('pilothouse.browser-alerts')
/** A burst becomes one notification. */
const MOST = 3

/** Notifications of this browser while a page of alerts is open, if the user wants them. */
export function BrowserAlerts({ workspace, events }: { workspace: string; events: AlertEvent[] | undefined }) {
  const [isOn, setOn] = useState(false)
  const seen = useRef<Set<string>>(undefined)
  useEffect(() => setOn(isAllowed() && localStorage.getItem(KEY) === 'on'), [])

  useEffect(() => {
    if (!events) return
    const before = seen.current
    seen.current = new Set(events.map(({ id }) => id))
    // What was there when the page was opened is no news.
    if (!before || !isOn || !isAllowed()) return
    const news = events.filter(({ id, event, isSilenced }) => event === 'fired' && !isSilenced && !before.has(id))
    for (const { id, name, ruleName, detail } of news.length > MOST ? [] : news)
      show(`${name}: ${ruleName}`, { body: detail, tag: id }, workspace)
    if (news.length > MOST) show(`${news.length} alerts are firing`, { tag: news[0]?.id }, workspace)
  }, [events, isOn, workspace])

  async function toggle() {
    if (isOn) {
      localStorage.removeItem(KEY)
      return setOn(false)
    }
    if (!('Notification' in window)) return void toast.warning('This browser has no notifications.')
    if ((await Notification.requestPermission()) !== 'granted')
      return void toast.warning('Notifications are blocked. Allow them for this site in the browser.')
    localStorage.setItem(KEY, 'on')
    setOn(true)
  }
  return (
    <Button aria-pressed={isOn} title="While this page is open in a tab" onClick={() => void toggle()}>
      {isOn ? 'Stop notifying this browser' : 'Notify this browser'}
    </Button>
  )
}

const isAllowed = () => 'Notification' in window && Notification.permission === 'granted'

function show(title: string, options: NotificationOptions, workspace: string): void {
  const made = new Notification(title, options)
  made.onclick = () => {
    window.focus()
    window.location.assign(withBasePath(routes.alerts(workspace)))
  }
}
