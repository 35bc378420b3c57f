import './picture.css'

/** The mark beside the company's name; nothing where it has none. */
export const CorpMark = ({ logo, size = 28 }: { logo: string | null | undefined; size?: number }) =>
  logo && <img className="company-mark" src={logo} alt="" width={size} height={size} />
