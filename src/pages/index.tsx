import { createFileRoute } from '@tanstack/react-router'

/** An empty page without a shell (spec §2). */
export const Route = createFileRoute('/')({ component: () => null })
