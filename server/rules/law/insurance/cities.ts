/** Schemes that were published whole, to begin with: a company keeps its own beside them. Cities of which a figure is missing are left out (§11). */
import cities from '../tables/cities.json' with { type: 'json' }
import { type Scheme, schemesOf } from './scheme.ts'

export const publishedSchemes: readonly Scheme[] = schemesOf(cities, 'cities')
export const schemesOfCity = (city: string): Scheme[] => publishedSchemes.filter((one) => one.city === city)
