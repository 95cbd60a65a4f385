import { StatusBadge } from '@/components/ui/badge'
import { type DeploymentRow, rowHealth } from '@/lib/contracts/deployments/deployment-row'

/** The health of a row, from the deployment and its two revisions as the list returned them. */
export function RowHealth({ row }: { row: Pick<DeploymentRow, 'status' | 'latest' | 'active'> }) {
  const { level, label, detail } = rowHealth(row)
  return (
    <StatusBadge tone={level} title={detail}>
      {label}
    </StatusBadge>
  )
}
