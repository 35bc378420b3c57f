import { later } from './later.tsx'
import { Top } from './top.tsx'

const ConfirmHolder = later(async () => (await import('./confirm-holder.tsx')).ConfirmHolder)

/** Few are ever asked this: the form comes when it is needed. `title`: on a page below the list, whose bar leads back. */
export const HolderStep = ({ title }: { title?: string }) => (
  <>
    {title && <Top title={title} to="/m/slips" />}
    <ConfirmHolder />
  </>
)
