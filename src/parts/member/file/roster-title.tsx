import { Link } from '@tanstack/react-router'
import { Icon } from '../../../ui/icon.tsx'

/** The title of a page that belongs to the roster: ‹ leads back to it. */
export const RosterTitle = ({ children }: { children: string }) => (
  <span className="ui-row">
    <Link to="/companyMember" aria-label="返回花名册">
      <Icon name="back" size={20} />
    </Link>
    {children}
  </span>
)
