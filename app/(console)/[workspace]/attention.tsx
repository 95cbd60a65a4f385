'use client'
import { AuditSentence } from '@/components/audit/sentence'
import { FleetSummary } from '@/components/deployments/fleet-summary'

// Features cannot import each other, so they are joined here.
export const Attention = ({ workspace }: { workspace: string }) => (
  <FleetSummary
    workspace={workspace}
    renderChange={(change, { id, name }) => (
      <AuditSentence workspace={workspace} row={change} names={{ deployments: { [id]: name }, accounts: {} }} />
    )}
  />
)
