import styles from './tax.module.css'

/** A person in a list of tax: name, and where he belongs below it. */
export const MemberCell = ({ name, employee_no, departments }: { name: string; employee_no: string; departments: string }) => (
  <span className={styles.person}>
    <span title={name}>{name}</span>
    <span className="ui-hint" title={departments}>
      {[employee_no, departments].filter((text) => text !== '').join(' · ')}
    </span>
  </span>
)
