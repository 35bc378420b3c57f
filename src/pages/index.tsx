import { createFileRoute } from '@tanstack/react-router'

/** An empty page without shell (spec §2). */
export const Route = createFileRoute('/')({ component: () => null })
