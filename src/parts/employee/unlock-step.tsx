import { lazyWithRetry } from './lazy-with-retry.tsx'
import { PageTopBar } from './page-top-bar.tsx'

const UnlockView = lazyWithRetry(async () => (await import('./unlock.tsx')).UnlockView)

/** Most slips ask for no password, so the form does not weigh on their first view. */
export const UnlockStep = ({ title }: { title: string }) => (
  <>
    <PageTopBar title={title} to="/m/slips" />
    <UnlockView />
  </>
)
