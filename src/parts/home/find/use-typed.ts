import { useEffect, useState } from 'react'

const pause_ms = 120
/** What is typed, once the fingers rest. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text)
  // A clock outside React.
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), pause_ms)
    return () => clearTimeout(timer)
  }, [text])
  return typed
}
