import { useEffect, useState } from 'react'
import styles from './setting.module.css'

/** The sections of a long page of settings, at its side; the one in view is marked. */
export function SectionIndex({ sections }: { sections: readonly { readonly id: string; readonly title: string }[] }) {
  const [current, setCurrent] = useState(sections[0]?.id)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        const visible = entries.find((entry) => entry.isIntersecting)
        if (visible) setCurrent(visible.target.id)
      },
      // A section counts once it reaches the upper third of the window.
      { rootMargin: '-10% 0px -65% 0px' },
    )
    for (const { id } of sections) {
      const section = document.getElementById(id)
      if (section) observer.observe(section)
    }
    return () => observer.disconnect()
  }, [sections])
  const show = (id: string) => {
    document.getElementById(id)?.scrollIntoView({ block: 'start' })
    setCurrent(id)
  }
  return (
    <nav className={styles.index} aria-label="设置分类">
      {sections.map(({ id, title }) => (
        <button key={id} type="button" aria-current={id === current ? 'true' : undefined} onClick={() => show(id)}>
          {title}
        </button>
      ))}
    </nav>
  )
}
