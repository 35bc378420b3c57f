import { createFileRoute, redirect } from '@tanstack/react-router'

/** The address used in brief messages: the newest payslip is the first in the list. */
export const Route = createFileRoute('/m/')({
  beforeLoad: () => {
    throw redirect({ to: '/m/slips', replace: true })
  },
})
