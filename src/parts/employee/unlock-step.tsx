import { later } from './later.tsx'
import { Top } from './top.tsx'

const Unlock = later(async () => (await import('./unlock.tsx')).Unlock)

/** Most slips ask for no password, so the form does not weigh on their first view. */
export const UnlockStep = ({ title }: { title: string }) => (
  <>
    <Top title={title} to="/m/slips" />
    <Unlock />
  </>
)
