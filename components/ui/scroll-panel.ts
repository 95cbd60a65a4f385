/**
 * A box of which the inside scrolls by itself. Its round corners cut nothing off, as what scrolls stands within them: a
 * browser that draws without a graphics card takes several times as long for all that moves under a round cut.
 */
export const scrollPanel = 'rounded-lg border bg-panel p-0.5'
