import styles from './picture.module.css'

/** The logo next to the company's name; renders nothing if there is none. */
export const CompanyLogo = ({ logo, size = 28 }: { logo: string | null | undefined; size?: number }) =>
  logo && <img className={styles.companyMark} src={logo} alt="" width={size} height={size} />
