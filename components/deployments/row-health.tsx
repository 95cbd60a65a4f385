import { StatusBadge } from '@/components/ui/badge'
import { type DeploymentRow, rowHealth } from '@/lib/contracts/deployments/deployment-row'

/** Health from the deployment and both its revisions, as one reading gave them. */
export function RowHealth({ row }: { row: Pick<DeploymentRow, 'status' | 'latest' | 'active'> }) {
  const { level, label, detail } = rowHealth(row)
  return (
    <StatusBadge tone={level} title={detail}>
      {label}
    </StatusBadge>
  )
}
