'use client'
import { useEffect, useState } from 'react'

/** A schedule in words, once the library is loaded. Nothing for one that it does not understand. */
export function ScheduleWords({ schedule, className }: { schedule: string; className?: string }) {
  const [words, setWords] = useState<{ of: string; text: string | undefined }>()
  useEffect(() => {
    let isGone = false
    void import('@/lib/format/cron-words').then(({ scheduleWords }) => {
      if (!isGone) setWords({ of: schedule, text: scheduleWords(schedule) })
    })
    return () => {
      isGone = true
    }
  }, [schedule])
  return words?.of === schedule && words.text ? <span className={className}>{words.text}</span> : null
}
