import {
  Activity,
  Bell,
  Boxes,
  House,
  Inbox,
  ListTree,
  type LucideIcon,
  MessagesSquare,
  ScrollText,
  Settings,
  Users,
} from 'lucide-react'
import type { Route } from 'next'
import type { Role } from '@/lib/contracts/wire/api'
import { routes } from '@/lib/routes'

/** `isExact`: other sections have paths below its own. */
export type NavItem = { label: string; href: Route; icon: LucideIcon; role: Role; isExact?: boolean }

/** The sections of a workspace, with the lowest role that may see each. */
export const navItems = (workspace: string): NavItem[] => [
  { label: 'Home', href: routes.workspace(workspace), icon: House, role: 'viewer', isExact: true },
  { label: 'Deployments', href: routes.deployments(workspace), icon: Boxes, role: 'viewer' },
  { label: 'Runs', href: routes.allRuns(workspace), icon: Activity, role: 'viewer' },
  { label: 'Threads', href: routes.allThreads(workspace), icon: MessagesSquare, role: 'viewer' },
  { label: 'Traces', href: routes.allTraces(workspace), icon: ListTree, role: 'viewer' },
  { label: 'Inbox', href: routes.inbox(workspace), icon: Inbox, role: 'viewer' },
  { label: 'Alerts', href: routes.alerts(workspace), icon: Bell, role: 'viewer' },
  { label: 'Audit', href: routes.audit(workspace), icon: ScrollText, role: 'admin' },
  { label: 'Members', href: routes.members(workspace), icon: Users, role: 'admin' },
  { label: 'Settings', href: routes.settings(workspace), icon: Settings, role: 'viewer' },
]
