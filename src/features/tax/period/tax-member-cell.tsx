import type { TaxMember } from './labels.ts'
import styles from './period.module.css'

/** The employee of a row; a press shows how the tax was calculated. */
export const TaxMemberCell = ({
  person: member,
  onOpen,
}: {
  person: Pick<TaxMember, 'name' | 'employee_no' | 'departments' | 'left'>
  onOpen?: (() => void) | undefined
}) => (
  <div className={styles.who}>
    {onOpen ? (
      <button type="button" className="ui-link" onClick={onOpen}>
        {member.name}
      </button>
    ) : (
      <span>{member.name}</span>
    )}
    <small>
      {[member.employee_no, member.departments, member.left ? '已离职' : ''].filter((text) => text !== '').join(' · ')}
    </small>
  </div>
)
