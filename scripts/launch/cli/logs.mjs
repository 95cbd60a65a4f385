import { setTimeout as pause } from 'node:timers/promises'

function moment(value) {
  const at = new Date(value ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? '' : `${at.toISOString().slice(0, 19)}Z `
}
const textOf = ({ timestamp, level, message }) =>
  `${moment(timestamp)}${level && level !== 'INFO' ? `${level} ` : ''}${message}`

/**
 * Prints a log's lines, and goes on while `isOpen`. A page is read again from where it began, because lines are added to the
 * last one.
 * @param {{ api: any, deployment: string, revision?: string, type: 'build' | 'deploy', from?: string, print: (line: string) => void,
 *   isOpen?: () => boolean, pauseMs?: number }} options
 */
export async function followLog({
  api,
  deployment,
  revision,
  type,
  from,
  print,
  isOpen = () => false,
  pauseMs = 1000,
}) {
  let after
  let printed = 0
  for (;;) {
    const isLast = !isOpen()
    for (;;) {
      const page = await api.get(`/deployments/${deployment}/logs`, { type, revision, from, after, limit: 500 })
      for (const line of page.lines.slice(printed)) print(textOf(line))
      printed = page.lines.length
      if (page.next === null || page.next === after || page.lines.length < 500) break
      after = page.next
      printed = 0
    }
    if (isLast) return
    await pause(pauseMs)
  }
}
