# Tests of the site: scripts/build-site writes it to the build folder, its links are checked, and a browser
# opens it.

if(BUILD_TESTING)
  foreach(name IN ITEMS build browse)
    add_python_test("site: ${name}" ${PROJECT_SOURCE_DIR}/tests/site/${name}.py ${PROJECT_BINARY_DIR}/site)
  endforeach()
  set_tests_properties("site: build" PROPERTIES FIXTURES_SETUP site)
  set_tests_properties("site: browse" PROPERTIES FIXTURES_REQUIRED site)
endif()
