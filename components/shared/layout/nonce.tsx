'use client'
import { setNonce } from 'get-nonce'
import { createContext, type ReactNode, useContext, useState } from 'react'

const NonceContext = createContext('')

/**
 * Keeps the document's nonce for code that inserts styles later (Radix's scroll lock, the editor). Set once: after a soft
 * navigation the server sends another nonce, but the document's policy still requires the first.
 */
export function NonceProvider({ value, children }: { value: string; children: ReactNode }) {
  const [first] = useState(() => {
    setNonce(value)
    return value
  })
  return <NonceContext value={first}>{children}</NonceContext>
}

export const useNonce = (): string => useContext(NonceContext)
