import { Command } from 'cmdk'
import type { ReactNode } from 'react'

/** A row of the palette. */
export const PaletteItem = ({
  value,
  icon,
  onSelect,
  children,
}: {
  value: string
  icon: ReactNode
  onSelect: () => void
  children: ReactNode
}) => (
  <Command.Item
    value={value}
    onSelect={onSelect}
    className="flex h-8 items-center gap-2 truncate rounded-sm px-2 data-[selected=true]:bg-hover [&_svg]:size-3.5 [&_svg]:shrink-0 [&_svg]:text-ink-3"
  >
    {icon}
    <span className="truncate">{children}</span>
  </Command.Item>
)

/** Rows under a heading, which is hidden with them. */
export const PaletteGroup = (props: { heading: string; forceMount?: boolean; children: ReactNode }) => (
  <Command.Group
    {...props}
    className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-ink-3"
  />
)
