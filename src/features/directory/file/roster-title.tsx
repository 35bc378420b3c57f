import { Link } from '@tanstack/react-router'
import { Icon } from '../../../components/icon.tsx'
import styles from './file.module.css'

/** The title of a page below the roster: ‹ leads back to it. */
export const RosterBackTitle = ({ children }: { children: string }) => (
  <span className={styles.title}>
    <Link to="/companyMember" className="ui-back" aria-label="返回花名册">
      <Icon name="back" size={20} />
    </Link>
    {children}
  </span>
)
