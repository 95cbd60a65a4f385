import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Names the loopback interface of this process: two processes with the same name reach each other through it. */
export function loopbackName(): string {
  try {
    // A container has a network of its own, on the kernel that all of them share.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/net')}`
  } catch {
    return hostname()
  }
}

export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
