import styles from './period.module.css'
import type { TaxPerson } from './words.ts'

/** Whose line it is; pressed, it tells how the tax came about. */
export const WhoCell = ({
  person,
  onOpen,
}: {
  person: Pick<TaxPerson, 'name' | 'employee_no' | 'departments' | 'left'>
  onOpen?: (() => void) | undefined
}) => (
  <div className={styles.who}>
    {onOpen ? (
      <button type="button" className="ui-link" onClick={onOpen}>
        {person.name}
      </button>
    ) : (
      <span>{person.name}</span>
    )}
    <small>{[person.employee_no, person.departments, person.left ? '已离职' : ''].filter((one) => one !== '').join(' · ')}</small>
  </div>
)
