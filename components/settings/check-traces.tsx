'use client'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { traces } from '@/lib/contracts/traces'
import { AppError } from '@/lib/errors'
import { relayFetch } from '@/lib/queries/relay-fetch'

/** Reads one tracing project, which shows that the address answers and takes the key. */
export function CheckTraces({ workspace }: { workspace: string }) {
  const [isBusy, setBusy] = useState(false)
  async function check() {
    setBusy(true)
    try {
      const found = (await relayFetch(traces.listTracingProjects, { workspace, query: { limit: '1' } })) as unknown[]
      toast.success(`The tracing address answers${found.length > 0 ? '' : '; it has no project yet'}.`)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      toast.warning(error.message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="sm" isBusy={isBusy} onClick={() => void check()}>
      Check the tracing address
    </Button>
  )
}
