/** Whether a server has a feature. It is unknown until the server was asked, and while it gives no usable response. */
export type Capability = { state: 'yes' } | { state: 'no' | 'unknown'; reason: string }

/** An optional feature, with its display name. */
export type OfferedFeature = { id: string; name: string; capability: Capability }
