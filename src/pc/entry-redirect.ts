/** `/index.html` (spec §2): redirects phones to their sign-in and wider screens to the product page. */
location.replace(window.innerWidth < 800 ? '/m/login' : '/pc/page/index/index.html')
