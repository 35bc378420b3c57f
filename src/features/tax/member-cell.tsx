import styles from './tax.module.css'

/** An employee in a tax list: the name, with employee number and departments below. */
export const MemberCell = ({ name, employee_no, departments }: { name: string; employee_no: string; departments: string }) => (
  <span className={styles.person}>
    <span title={name}>{name}</span>
    <span className="ui-hint" title={departments}>
      {[employee_no, departments].filter((text) => text !== '').join(' · ')}
    </span>
  </span>
)
