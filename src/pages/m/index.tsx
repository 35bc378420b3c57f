import { createFileRoute, redirect } from '@tanstack/react-router'

/** The address in brief messages: the newest slip is the first of the list. */
export const Route = createFileRoute('/m/')({
  beforeLoad: () => {
    throw redirect({ to: '/m/slips', replace: true })
  },
})
