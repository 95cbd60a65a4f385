'use client'
import dynamic from 'next/dynamic'
import { SchemaTable } from '@/components/assistants/schema-table'
import { McpPage } from '@/components/protocols/mcp-page'
import { Skeleton } from '@/components/ui/loading'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'

// Tool arguments use the assistants' schema form. Features cannot import each other, so they are joined here.
const Arguments = dynamic(
  () => import('@/components/assistants/form/arguments-form').then((module) => module.ArgumentsForm),
  { ssr: false, loading: () => <Skeleton className="h-48" /> },
)
const views = { Arguments, SchemaTable }

export const Screen = (place: DeploymentPlace) => <McpPage place={place} views={views} />
