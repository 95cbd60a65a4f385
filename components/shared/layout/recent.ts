'use client'
import { useEffect } from 'react'
import { nameInBrowser } from '@/lib/base-path'
import { isRecord } from '@/lib/json/guards'

/** A record that was opened in this browser. `name` is never an id. */
export type Recent = { href: string; kind: string; name: string }

const KEY = nameInBrowser('pilothouse-recent')
const MOST = 50
const LONGEST_NAME = 120

/** Remembers a record as the one that was opened last, once its name is known. */
export function useOpened(href: string, kind: string, name: string | undefined): void {
  useEffect(() => {
    if (!name) return
    const { who, items } = read()
    const one = { href, kind, name: name.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME) }
    write(who, [one, ...items.filter((other) => other.href !== href)].slice(0, MOST))
  }, [href, kind, name])
}

/** What was opened in this browser, the last first. */
export const readRecent = (): Recent[] => read().items

/** Forgets what somebody else opened, and at sign-out everything. */
export function keepRecentOf(who: string): void {
  if (read().who !== who) write(who, [])
}

function read(): { who: string; items: Recent[] } {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    if (isRecord(kept) && typeof kept.who === 'string' && Array.isArray(kept.items))
      return { who: kept.who, items: kept.items.filter(isRecent) }
  } catch {
    // Local storage is disabled, or holds something else.
  }
  return { who: '', items: [] }
}

function write(who: string, items: readonly Recent[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ who, items }))
  } catch {
    // If storage is disabled or full, nothing is remembered.
  }
}

const isRecent = (one: unknown): one is Recent =>
  isRecord(one) && [one.href, one.kind, one.name].every((text) => typeof text === 'string')
