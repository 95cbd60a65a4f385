'use client'
import { Dialog } from '@/components/ui/dialog'
import { type ShellWorkspace, Sidebar } from './sidebar'

type NavigationSheetProps = { current: ShellWorkspace; workspaces: ShellWorkspace[]; onClose: () => void }

/** The sidebar as a sheet, for narrow windows. */
export const NavigationSheet = ({ current, workspaces, onClose }: NavigationSheetProps) => (
  <Dialog side="left" title="Navigation" open onOpenChange={onClose}>
    <div className="-m-4">
      <Sidebar current={current} workspaces={workspaces} onNavigate={onClose} />
    </div>
  </Dialog>
)
