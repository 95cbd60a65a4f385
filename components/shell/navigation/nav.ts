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
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { routes } from '@/lib/routes'

/**
 * `isExact`: other sections have paths below its own. `also`: where more of its pages are. `key`: goes there after G.
 */
export type NavItem = {
  label: string
  key: string
  href: Route
  also?: Route
  icon: LucideIcon
  role: Role
  isExact?: boolean
  /** Needs a role for the whole workspace. */
  isWhole?: boolean
}

/** The sections of a workspace, with the lowest role that may see each. */
export const navItems = (workspace: string): NavItem[] => [
  { label: 'Home', key: 'h', href: routes.workspace(workspace), icon: House, role: 'viewer', isExact: true },
  { label: 'Deployments', key: 'd', href: routes.deployments(workspace), icon: Boxes, role: 'viewer' },
  {
    ...{ label: 'Runs', key: 'r', icon: Activity, role: 'viewer' },
    href: routes.allRuns(workspace),
    also: routes.experiments(workspace),
  },
  { label: 'Threads', key: 't', href: routes.allThreads(workspace), icon: MessagesSquare, role: 'viewer' },
  { label: 'Traces', key: 'c', href: routes.allTraces(workspace), icon: ListTree, role: 'viewer' },
  { label: 'Inbox', key: 'i', href: routes.inbox(workspace), icon: Inbox, role: 'viewer' },
  { label: 'Alerts', key: 'l', href: routes.alerts(workspace), icon: Bell, role: 'viewer', isWhole: true },
  { label: 'Audit', key: 'a', href: routes.audit(workspace), icon: ScrollText, role: 'admin' },
  { label: 'Members', key: 'm', href: routes.members(workspace), icon: Users, role: 'admin' },
  { label: 'Settings', key: 's', href: routes.settings(workspace), icon: Settings, role: 'viewer' },
]

/** The sections that someone may see. */
export const navItemsFor = ({ slug, role, limitedTo }: { slug: string; role: Role; limitedTo?: number }): NavItem[] =>
  navItems(slug).filter((one) => isAtLeast(role, one.role) && !(limitedTo && one.isWhole))
