import styles from './picture.module.css'

/** The mark beside the company's name; nothing where it has none. */
export const CompanyLogo = ({ logo, size = 28 }: { logo: string | null | undefined; size?: number }) =>
  logo && <img className={styles.companyMark} src={logo} alt="" width={size} height={size} />
