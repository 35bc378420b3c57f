import styles from './shell.module.css'

/** A user's picture, or the last character of the name, which may be an emoji of several code points. */
export function Avatar({ name, logo, size = 28 }: { name: string; logo: string | null; size?: number }) {
  const style = { width: size, height: size, fontSize: Math.round(size / 2) }
  if (logo) return <img className={styles.face} src={logo} alt="" width={size} height={size} style={style} />
  return (
    <i className={styles.face} aria-hidden="true" style={style}>
      {getLastCharacter(name)}
    </i>
  )
}

/** Returns the last character before a trailing note (郭秀英（诚达人力）). Without Intl.Segmenter (Firefox before 125) a joined emoji shows its last part. */
export function getLastCharacter(name: string): string {
  const trimmed = name.replace(/[（(][^（）()]*[）)]\s*$/, '').trim() || name.trim()
  if (typeof Intl.Segmenter !== 'function') return [...trimmed].at(-1) ?? ''
  return [...new Intl.Segmenter('zh-CN').segment(trimmed)].at(-1)?.segment ?? ''
}
