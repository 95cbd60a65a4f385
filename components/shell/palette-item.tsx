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
